/**
 * The modules that the build makes from several files of `content/`
 * (`build/content-plugin.ts`). A page's own are declared by `build/content-types.ts`.
 */
declare module 'content:site' {
  const site: import('./types.ts').Shown<import('./types.ts').Site>;
  export default site;
}
declare module 'content:messages' {
  const messages: import('./types.ts').Messages;
  export default messages;
}
declare module 'content:fields' {
  const fields: import('./types.ts').Fields;
  export default fields;
}
declare module 'content:service-list' {
  const services: import('./types.ts').Service[];
  export default services;
}
declare module 'content:service-cards' {
  const services: import('./types.ts').ServiceSummary[];
  export default services;
}
declare module 'content:service-links' {
  const links: import('./types.ts').Link[];
  export default links;
}
declare module 'content:posts' {
  const posts: import('./types.ts').ShownPost[];
  export default posts;
}
declare module 'content:legal' {
  const texts: import('./types.ts').LegalText[];
  export default texts;
}
