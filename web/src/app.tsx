/** What stands around every page. Rendered by the build; nothing of it runs in the browser. */
import { ChatTemplate } from './chat/chat-template.tsx';
import { Footer } from './layout/footer.tsx';
import { Header } from './layout/header.tsx';
import type { View } from './lib/page.ts';
import './styles/base.css';

export function App({ view: { module, path, slug } }: { view: View }) {
  return (
    <>
      <Header path={path} />
      <main id="main" tabIndex={-1}>
        <module.Page slug={slug} />
      </main>
      <Footer />
      <div className="visually-hidden" aria-live="polite" role="status" data-announce />
      <ChatTemplate />
    </>
  );
}
