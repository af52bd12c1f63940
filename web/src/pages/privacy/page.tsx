import text from 'content:privacy';
import { loadProse } from '../../lib/prose.ts';
import { LegalPage, legalMeta } from '../../sections/legal-page.tsx';

export const Page = () => <LegalPage text={text} />;
export const meta = () => legalMeta(text, '/privacy');
export const prepare = async () => (import.meta.env.SSR ? undefined : loadProse(text.body));
