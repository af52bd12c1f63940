import { readFileSync } from 'node:fs';

// The same words and markup as our own home page, rendered at build time.
export const dynamic = 'force-static';

export default function Home() {
  const html = readFileSync(process.env.HOME_PAGE, 'utf8');
  const body = /<body[^>]*>([\s\S]*)<\/body>/.exec(html)[1];
  return <div dangerouslySetInnerHTML={{ __html: body }} />;
}
