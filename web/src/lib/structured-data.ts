/** schema.org data, made from the content. */
import type * as schema from 'schema-dts';
import type { Content, Package, Post, Site } from '../content/types.ts';
import { changeDate } from './dates.ts';

const organizationId = (site: Site) => `${site.url}/#organization`;
const organizationRef = (site: Site) => ({ '@id': organizationId(site) });

/** Not a ProfessionalService: schema.org itself advises against that type. */
export function organization(site: Site) {
  const profiles = Object.values(site.social).filter((profile) => profile !== undefined);
  return {
    '@type': 'LocalBusiness',
    '@id': organizationId(site),
    name: site.name,
    slogan: site.tagline,
    url: `${site.url}/`,
    logo: `${site.url}/icon-512.png`,
    image: `${site.url}/og/home.png`,
    email: site.email,
    ...(site.phone && { telephone: site.phone }),
    address: postalAddress(site) ?? site.location,
    ...(site.opening_hours && { openingHours: site.opening_hours }),
    ...(site.area_served && { areaServed: site.area_served }),
    ...(profiles.length > 0 && { sameAs: profiles }),
  } satisfies schema.LocalBusiness;
}

function postalAddress({ address }: Site) {
  if (!address) return undefined;
  const { street, locality, region, postal_code, country } = address;
  return {
    '@type': 'PostalAddress',
    ...(street && { streetAddress: street }),
    ...(locality && { addressLocality: locality }),
    ...(region && { addressRegion: region }),
    ...(postal_code && { postalCode: postal_code }),
    addressCountry: country,
  } satisfies schema.PostalAddress;
}

export const website = (site: Site) =>
  ({
    '@type': 'WebSite',
    '@id': `${site.url}/#website`,
    name: site.name,
    url: `${site.url}/`,
    inLanguage: 'en-CA',
    publisher: organizationRef(site),
  }) satisfies schema.WebSite;

export const serviceList = ({ site, services }: Content) =>
  services.map(
    (service) =>
      ({
        '@type': 'Service',
        '@id': `${site.url}/services#${service.id}`,
        name: service.title,
        description: service.description,
        url: `${site.url}/services#${service.id}`,
        provider: organizationRef(site),
      }) satisfies schema.Service,
  );

/** Without prices, which come with the quote. */
export const offers = (site: Site, packages: Package[]) =>
  packages.map(
    ({ name, description, subtitle }) =>
      ({
        '@type': 'Offer',
        name,
        description,
        url: `${site.url}/pricing`,
        offeredBy: organizationRef(site),
        itemOffered: {
          '@type': 'Service',
          name,
          description: subtitle,
          provider: organizationRef(site),
        },
      }) satisfies schema.Offer,
  );

export const faqPage = (items: { question: string; answer: string }[]) =>
  ({
    '@type': 'FAQPage',
    mainEntity: items.map(({ question, answer }) => ({
      '@type': 'Question' as const,
      name: question,
      acceptedAnswer: { '@type': 'Answer' as const, text: answer },
    })),
  }) satisfies schema.FAQPage;

/** `preview` is the picture for sharing. */
export const blogPosting = (site: Site, post: Post, preview: string) =>
  ({
    '@type': 'BlogPosting',
    headline: post.title,
    description: post.description,
    image: [...(post.picture.sources ? [post.picture.src] : []), preview].map(
      (path) => site.url + path,
    ),
    datePublished: post.date,
    dateModified: changeDate(post),
    keywords: post.categories,
    timeRequired: `PT${post.minutes}M`,
    inLanguage: 'en-CA',
    author: { '@type': 'Organization', name: post.author, url: `${site.url}/about` },
    publisher: { '@type': 'Organization', '@id': organizationId(site), name: site.name },
    mainEntityOfPage: `${site.url}/blog/${post.slug}`,
  }) satisfies schema.BlogPosting;

/** From the home page down to this one, by the names of the navigation. */
export const breadcrumbs = ({ site, pages }: Content, path: string, name: string) =>
  ({
    '@type': 'BreadcrumbList',
    itemListElement: [
      ...pages.layout.nav.filter((link) => path.startsWith(link.path.replace(/\/?$/, '/'))),
      { label: name, path },
    ].map((step, index) => ({
      '@type': 'ListItem' as const,
      position: index + 1,
      name: step.label,
      item: site.url + step.path,
    })),
  }) satisfies schema.BreadcrumbList;
