/**
 * The chat provider as the browser meets it: the real published bundle on one
 * origin, a stand-in for the runtime on another.
 */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Env } from './app.ts';

export const projectId = 'project-e2e-1';

const bundle = fileURLToPath(
  new URL('../node_modules/@voiceflow/react-chat/dist/bundle.mjs', import.meta.url),
);

/** The runtime's answer for a project: the settings of the launcher. */
const publishing = {
  title: 'Assistant',
  color: '#8b5cf6',
  image: '',
  avatar: '',
  persistence: 'localStorage',
  spacing: { side: 30, bottom: 30 },
};
export const greeting = 'Hello from the assistant';
const traces = [
  {
    type: 'text',
    payload: { message: greeting, slate: { content: [{ children: [{ text: greeting }] }] } },
  },
];

/** Scripts that load but do not work. */
const scripts = {
  foreign: 'globalThis.somethingElse = true;',
  refusing: 'globalThis.voiceflow = { chat: { load: () => Promise.reject(new Error("no")) } };',
};

/** How the script's origin answers. */
type ScriptAnswer = keyof typeof scripts | 'bundle' | 'missing' | 'silent';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export class ChatProvider {
  /** Every call so far, as `METHOD /path`, of both origins. */
  readonly calls: string[] = [];
  answer: ScriptAnswer = 'bundle';
  runtimeOrigin = '';
  #scriptOrigin = '';
  readonly #servers: Server[] = [];

  static async start(): Promise<ChatProvider> {
    const provider = new ChatProvider();
    provider.#scriptOrigin = await provider.#serve((request, response) =>
      sendScript(provider.answer, request, response),
    );
    provider.runtimeOrigin = await provider.#serve(answerRuntime);
    return provider;
  }

  /** The settings that make the program use it. */
  env(load: 'load' | 'click'): Env {
    return {
      FRONTDOOR_CHAT_PROJECT_ID: projectId,
      FRONTDOOR_CHAT_SCRIPT_URL: `${this.#scriptOrigin}/widget/bundle.mjs`,
      FRONTDOOR_CHAT_RUNTIME_URL: this.runtimeOrigin,
      FRONTDOOR_CHAT_LOAD: load,
    };
  }

  async stop() {
    for (const server of this.#servers) {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    }
  }

  async #serve(answer: Answer): Promise<string> {
    const server = createServer((request, response) => {
      if (request.method !== 'OPTIONS') this.calls.push(`${request.method} ${request.url}`);
      answer(request, response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    this.#servers.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
}

/** Without CORS or CORP headers: nothing says that a provider sends any. */
function sendScript(answer: ScriptAnswer, request: IncomingMessage, response: ServerResponse) {
  if (answer === 'silent') return;
  if (answer === 'missing' || request.url !== '/widget/bundle.mjs') {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'text/javascript' });
  if (answer === 'bundle') createReadStream(bundle).pipe(response);
  else response.end(scripts[answer]);
}

function answerRuntime(request: IncomingMessage, response: ServerResponse) {
  const headers = {
    'access-control-allow-origin': request.headers.origin ?? '*',
    'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '*',
    'content-type': 'application/json',
  };
  const { method, url = '' } = request;
  if (method === 'OPTIONS') response.writeHead(204, headers).end();
  else if (url === `/public/${projectId}/publishing`) {
    response.writeHead(200, headers).end(JSON.stringify(publishing));
  } else if (url.endsWith('/interact')) {
    response.writeHead(200, headers).end(JSON.stringify({ trace: traces }));
  } else response.writeHead(200, headers).end('{}');
}
