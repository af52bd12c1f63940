/** The frame around every page. The build renders it; it never runs in the browser. */
import { ChatButton } from './chat/chat-button.tsx';
import { templateId } from './chat/provider.ts';
import { useContent } from './content/context.ts';
import { Footer } from './layout/footer.tsx';
import { Header } from './layout/header.tsx';
import type { View } from './lib/page.ts';
import './styles/tokens.css';
import './styles/base.css';
import { Island } from './ui/island.tsx';

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

/** The chat assistant's button; the script shows it if the server's settings ask for it. */
export function ChatTemplate() {
  const { chat } = useContent().pages;
  return (
    <template id={templateId}>
      <Island name="chat-button" component={ChatButton} props={{ words: chat }} />
    </template>
  );
}
