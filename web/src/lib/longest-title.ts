/** What search engines show of a page's title, in characters. */
export const longestTitle = 60;
