import site from 'content:site';

export const absoluteUrl = (path: string) => site.url + path;
