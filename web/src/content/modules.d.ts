/** The modules made from `content/` by the build (see `build/content-plugin.ts`). */
declare module 'content:site' {
  const site: import('./types.ts').Site;
  export default site;
}
declare module 'content:layout' {
  const layout: import('./types.ts').Page<'layout'>;
  export default layout;
}
declare module 'content:home' {
  const home: import('./types.ts').Page<'home'>;
  export default home;
}
declare module 'content:services' {
  const services: import('./types.ts').Page<'services'>;
  export default services;
}
declare module 'content:about' {
  const about: import('./types.ts').Page<'about'>;
  export default about;
}
declare module 'content:contact' {
  const contact: import('./types.ts').Page<'contact'>;
  export default contact;
}
declare module 'content:contact-form' {
  const form: import('./types.ts').Page<'contact-form'>;
  export default form;
}
declare module 'content:contact-outcome' {
  const outcome: import('./types.ts').Page<'contact-outcome'>;
  export default outcome;
}
declare module 'content:blog' {
  const blog: import('./types.ts').Page<'blog'>;
  export default blog;
}
declare module 'content:newsletter' {
  const newsletter: import('./types.ts').Page<'newsletter'>;
  export default newsletter;
}
declare module 'content:pricing' {
  const pricing: import('./types.ts').Page<'pricing'>;
  export default pricing;
}
declare module 'content:checkout-success' {
  const success: import('./types.ts').Page<'checkout-success'>;
  export default success;
}
declare module 'content:not-found' {
  const notFound: import('./types.ts').Page<'not-found'>;
  export default notFound;
}
declare module 'content:chat' {
  const chat: import('./types.ts').Page<'chat'>;
  export default chat;
}
declare module 'content:service-list' {
  const services: import('./types.ts').Service[];
  export default services;
}
declare module 'content:service-cards' {
  const services: import('./types.ts').ServiceSummary[];
  export default services;
}
declare module 'content:posts' {
  const posts: import('./types.ts').PostSummary[];
  export default posts;
}
declare module 'content:privacy' {
  const privacy: import('./types.ts').LegalPage;
  export default privacy;
}
declare module 'content:terms' {
  const terms: import('./types.ts').LegalPage;
  export default terms;
}
