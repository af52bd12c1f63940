import { Link } from 'wouter';
import { paths } from '../../routes.ts';
import segmented from '../../ui/segmented.module.css';

const views = [
  { label: 'Write', path: paths.newsletter },
  { label: 'Issues', path: paths.issues },
  { label: 'Subscribers', path: paths.subscribers },
];

export const NewsletterViews = ({ current }: { current: string }) => (
  <nav className={segmented.group} aria-label="Newsletter">
    {views.map(({ label, path }) => (
      <Link key={path} href={path} aria-current={path === current ? 'page' : undefined}>
        {label}
      </Link>
    ))}
  </nav>
);
