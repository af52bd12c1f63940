/** schema.org data, made from what the page visibly says. */
import layout from 'content:layout';
import site from 'content:site';
import type { ServiceSummary, ShownPost } from '../content/types.ts';
import { absoluteUrl } from './absolute-url.ts';

const organizationId = `${site.url}/#organization`;
const profiles = Object.values(site.social);
const organizationRef = { '@id': organizationId };

export const organization = () => ({
  '@type': 'LocalBusiness',
  '@id': organizationId,
  name: site.name,
  slogan: site.tagline,
  url: absoluteUrl('/'),
  logo: absoluteUrl('/icon-512.png'),
  image: absoluteUrl('/og/home.png'),
  email: site.email,
  telephone: site.phone,
  address: site.location,
  sameAs: profiles.length > 0 ? profiles : undefined,
});

/** The services are handed in: only two pages need their texts. */
export const serviceList = (services: ServiceSummary[]) =>
  services.map((service) => ({
    '@type': 'Service',
    '@id': absoluteUrl(`/services#${service.id}`),
    name: service.title,
    description: service.description,
    url: absoluteUrl(`/services#${service.id}`),
    provider: organizationRef,
  }));

export const faqPage = (items: { question: string; answer: string }[]) => ({
  '@type': 'FAQPage',
  mainEntity: items.map(({ question, answer }) => ({
    '@type': 'Question',
    name: question,
    acceptedAnswer: { '@type': 'Answer', text: answer },
  })),
});

export const blogPosting = (post: ShownPost, image: string) => ({
  '@type': 'BlogPosting',
  headline: post.title,
  description: post.description,
  image: absoluteUrl(image),
  datePublished: post.date,
  dateModified: post.date,
  keywords: post.categories,
  author: { '@type': 'Organization', name: post.author, url: absoluteUrl('/about') },
  publisher: { '@type': 'Organization', '@id': organizationId, name: site.name },
  mainEntityOfPage: absoluteUrl(`/blog/${post.slug}`),
});

/** From the home page down to this one, by the names of the navigation. */
export const breadcrumbs = (path: string, name: string) => ({
  '@type': 'BreadcrumbList',
  itemListElement: [
    ...layout.nav.filter((link) => path.startsWith(link.path.replace(/\/?$/, '/'))),
    { label: name, path },
  ].map((step, index) => ({
    '@type': 'ListItem',
    position: index + 1,
    name: step.label,
    item: absoluteUrl(step.path),
  })),
});
