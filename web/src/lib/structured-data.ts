/** schema.org data, made from what the content says; what it does not say is left out. */
import layout from 'content:layout';
import site from 'content:site';
import type {
  BlogPosting,
  BreadcrumbList,
  FAQPage,
  LocalBusiness,
  Offer,
  PostalAddress,
  Service,
  WebSite,
} from 'schema-dts';
import type { Package, ServiceSummary, ShownPost } from '../content/types.ts';
import { absoluteUrl } from './absolute-url.ts';
import { changed } from './dates.ts';

const organizationId = `${site.url}/#organization`;
const profiles = Object.values(site.social).filter((profile) => profile !== undefined);
const organizationRef = { '@id': organizationId };

/** Not a ProfessionalService: schema.org itself advises against that type. */
export const organization = () =>
  ({
    '@type': 'LocalBusiness',
    '@id': organizationId,
    name: site.name,
    slogan: site.tagline,
    url: absoluteUrl('/'),
    logo: absoluteUrl('/icon-512.png'),
    image: absoluteUrl('/og/home.png'),
    email: site.email,
    ...(site.phone && { telephone: site.phone }),
    address: postalAddress() ?? site.location,
    ...(site.opening_hours && { openingHours: site.opening_hours }),
    ...(site.area_served && { areaServed: site.area_served }),
    ...(profiles.length > 0 && { sameAs: profiles }),
  }) satisfies LocalBusiness;

function postalAddress() {
  if (!site.address) return undefined;
  const { street, locality, region, postal_code, country } = site.address;
  return {
    '@type': 'PostalAddress',
    ...(street && { streetAddress: street }),
    ...(locality && { addressLocality: locality }),
    ...(region && { addressRegion: region }),
    ...(postal_code && { postalCode: postal_code }),
    addressCountry: country,
  } satisfies PostalAddress;
}

export const website = () =>
  ({
    '@type': 'WebSite',
    '@id': `${site.url}/#website`,
    name: site.name,
    url: absoluteUrl('/'),
    inLanguage: 'en-CA',
    publisher: organizationRef,
  }) satisfies WebSite;

/** The services are handed in: only two pages need their texts. */
export const serviceList = (services: ServiceSummary[]) =>
  services.map(
    (service) =>
      ({
        '@type': 'Service',
        '@id': absoluteUrl(`/services#${service.id}`),
        name: service.title,
        description: service.description,
        url: absoluteUrl(`/services#${service.id}`),
        provider: organizationRef,
      }) satisfies Service,
  );

/** No price: it comes with the quote. */
export const offers = (packages: Package[]) =>
  packages.map(
    ({ name, description, subtitle }) =>
      ({
        '@type': 'Offer',
        name,
        description,
        url: absoluteUrl('/pricing'),
        offeredBy: organizationRef,
        itemOffered: { '@type': 'Service', name, description: subtitle, provider: organizationRef },
      }) satisfies Offer,
  );

export const faqPage = (items: { question: string; answer: string }[]) =>
  ({
    '@type': 'FAQPage',
    mainEntity: items.map(({ question, answer }) => ({
      '@type': 'Question' as const,
      name: question,
      acceptedAnswer: { '@type': 'Answer' as const, text: answer },
    })),
  }) satisfies FAQPage;

/** `preview` is the picture that is shown where the post is shared. */
export const blogPosting = (post: ShownPost, preview: string) =>
  ({
    '@type': 'BlogPosting',
    headline: post.title,
    description: post.description,
    image: [...(post.picture.sources ? [post.picture.src] : []), preview].map(absoluteUrl),
    datePublished: post.date,
    dateModified: changed(post),
    keywords: post.categories,
    timeRequired: `PT${post.minutes}M`,
    inLanguage: 'en-CA',
    author: { '@type': 'Organization', name: post.author, url: absoluteUrl('/about') },
    publisher: { '@type': 'Organization', '@id': organizationId, name: site.name },
    mainEntityOfPage: absoluteUrl(`/blog/${post.slug}`),
  }) satisfies BlogPosting;

/** From the home page down to this one, by the names of the navigation. */
export const breadcrumbs = (path: string, name: string) =>
  ({
    '@type': 'BreadcrumbList',
    itemListElement: [
      ...layout.nav.filter((link) => path.startsWith(link.path.replace(/\/?$/, '/'))),
      { label: name, path },
    ].map((step, index) => ({
      '@type': 'ListItem' as const,
      position: index + 1,
      name: step.label,
      item: absoluteUrl(step.path),
    })),
  }) satisfies BreadcrumbList;
