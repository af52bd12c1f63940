/** Events by which parts of the script talk to each other, on the elements of the page. */

/** On the document: another page has replaced the one before. */
export const newPage = 'frontdoor:page';

/** On an island: the link in `detail`, which has `data-opens`, was pressed. */
export const openEvent = 'frontdoor:open';
