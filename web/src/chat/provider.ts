/** The chat provider's widget: loaded with the page or when the visitor asks, started and opened, within time limits. */
import type { ChatSettings } from '../lib/settings.ts';

type ChatApi = {
  load(settings: { verify: { projectID: string }; url: string; versionID: string }): Promise<void>;
  open(): unknown;
};

declare global {
  interface Window {
    voiceflow?: { chat?: ChatApi };
  }
}

/** The button that the build made (`app.tsx`). */
export const templateId = 'chat-template';

export function startChat(chat: ChatSettings) {
  forgetConversation(chat.project);
  if (chat.load === 'click') showButton();
  else loadProvider(chat).catch(warn);
}

function showButton() {
  const template = document.getElementById(templateId) as HTMLTemplateElement;
  document.body.append(template.content);
  const button = document.querySelector<HTMLElement>('[data-floats]');
  if (button) keepClear(button, () => button.getBoundingClientRect());
}

export const warn = (reason: unknown) =>
  console.warn('The chat assistant could not be loaded.', reason);

const timeout = 20_000;
const hostId = 'voiceflow-chat';

/** The next visitor of this browser must not find the conversation of an earlier one. */
function forgetConversation(project: string) {
  try {
    localStorage.removeItem(`voiceflow-session-${project}`);
  } catch {
    // A browser without storage has kept nothing.
  }
}

/** Rejects when the widget fails or takes too long. */
export async function loadProvider({ project, script, runtime }: ChatSettings): Promise<void> {
  await withTimeout(addScript(script));
  const chat = window.voiceflow?.chat;
  if (!chat) throw new Error('its script has no assistant');
  await withTimeout(
    chat.load({ verify: { projectID: project }, url: runtime, versionID: 'production' }),
  );
  keepWidgetClear();
}

/** Opens the conversation and moves the keyboard's focus there. */
export async function openProvider(): Promise<void> {
  // If a conversation cannot begin, the open widget says so.
  await withTimeout(Promise.resolve(window.voiceflow?.chat?.open())).catch(() => {});
  const host = document.getElementById(hostId);
  if (document.activeElement === host) return;
  host?.shadowRoot?.querySelector<HTMLElement>('textarea, input')?.focus();
}

/** The provider's bundle is a classic script, although its name ends in `.mjs`. */
function addScript(src: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = src;
    script.async = true;
    script.onload = () => resolve();
    script.onerror = () => reject(new Error('its script could not be loaded'));
    document.head.append(script);
  });
}

function withTimeout<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error('it took too long')), timeout);
    work.then(resolve, reject).finally(() => clearTimeout(limit));
  });
}

/** Like our button, the closed widget must not cover a form. An open one stays, because the visitor opened it. */
function keepWidgetClear() {
  const host = document.getElementById(hostId);
  if (!host) return;
  let open = false;
  const launcher = () => host.shadowRoot?.querySelector('button')?.getBoundingClientRect();
  const check = keepClear(host, () => (open ? undefined : (launcher() ?? bottomEdge())));
  addEventListener('message', ({ source, data }) => {
    if (source !== window || typeof data !== 'string') return;
    const change = /"type":"voiceflow:(open|close)"/.exec(data)?.[1];
    if (!change) return;
    open = change === 'open';
    check();
  });
  // The launcher slides into place.
  host.shadowRoot?.addEventListener('transitionend', check);
}

/** Where a launcher is if it cannot be measured. */
const bottomEdge = () => new DOMRect(0, innerHeight - 110, innerWidth, 110);

/** What must not be covered. */
const mustStayFree = 'main form, a[data-booking]';
/** The distance to keep, in pixels. */
const margin = 8;

/**
 * Hides `element` and disables it for as long as it would cover a form or a booking link. `box` returns its position, or
 * nothing while it may cover anything. Returns a function that checks again.
 */
function keepClear(element: HTMLElement, box: () => DOMRect | undefined): () => void {
  const check = () => {
    const own = box();
    const covers = own !== undefined && coversSomething(own);
    element.inert = covers;
    element.style.opacity = covers ? '0' : '';
  };
  let frame = 0;
  const checkInNextFrame = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(check);
  };
  addEventListener('scroll', checkInNextFrame, { passive: true });
  addEventListener('resize', checkInNextFrame);
  // A new page, a picture or a message under a form moves what is there.
  new ResizeObserver(checkInNextFrame).observe(document.body);
  check();
  return checkInNextFrame;
}

function coversSomething(own: DOMRect): boolean {
  for (const element of document.querySelectorAll(mustStayFree)) {
    const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
    const apart =
      left > own.right + margin ||
      right < own.left - margin ||
      top > own.bottom + margin ||
      bottom < own.top - margin;
    if (!apart && width > 0 && height > 0) return true;
  }
  return false;
}
