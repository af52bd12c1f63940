/** Requests to `/api/desk/…`, their failures as messages for the owner, and which data is fetched how often. */
import {
  type InfiniteData,
  keepPreviousData,
  notifyManager,
  QueryCache,
  QueryClient,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { createContext, use, useEffect } from 'react';
import { setServerTime, useIsShown, useNow } from '../lib/page.ts';
import { timeWords } from '../lib/words.ts';
import type * as Api from './types.ts';

const requestTimeout = 15_000;

/** No response (0), or one from the proxy while the server restarts. */
const unreachableStatuses = [0, 502, 503, 504];

export class Problem extends Error {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }

  get isUnreachable(): boolean {
    return unreachableStatuses.includes(this.status);
  }
}

export async function request<T = void>(
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: unknown,
  timeout = requestTimeout,
  signal?: AbortSignal,
): Promise<T> {
  // The server may have done it although its answer was lost.
  const unknown = method === 'GET' ? 'Nothing is lost.' : 'Whether this was done is not known yet.';
  const unreachable = `The server isn’t answering. ${unknown}`;
  const response = await fetch(`/api/desk/${path}`, {
    method,
    signal: AbortSignal.any([AbortSignal.timeout(timeout), ...(signal ? [signal] : [])]),
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new Problem(0, unreachable);
  });
  const { ok, status } = response;
  if (ok) return (status === 204 ? undefined : await response.json()) as T;
  if (unreachableStatuses.includes(status)) throw new Problem(status, unreachable);
  const problem: { title?: string; detail?: string } = await response.json().catch(() => ({}));
  throw new Problem(status, problem.detail || problem.title || `The server answered ${status}.`);
}

export const get = <T>(path: string, signal?: AbortSignal) =>
  request<T>('GET', path, undefined, undefined, signal);
export const post = <T = { message: string }>(path: string, body: unknown = {}, timeout?: number) =>
  request<T>('POST', path, body, timeout);

/** For what the owner need not know if it fails. */
export const tell = (path: string, body?: unknown) => post<void>(path, body).catch(() => {});

/** Asks again and again until the server answers. */
export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!asProblem(error).isUnreachable) throw error;
      await new Promise((resolve) => setTimeout(resolve, seconds(3)));
    }
  }
}

export const asProblem = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem(500, String(error));

// Results are shown at once; by default the library waits for a timer.
notifyManager.setScheduler(queueMicrotask);

const seconds = (n: number) => n * 1000;

/** Polling stops while the tab is hidden; when the tab is shown again, everything is fetched at once. */
export const queries = new QueryClient({
  queryCache: new QueryCache({
    // The session ended elsewhere: the sign-in page takes over.
    onError: (error, query) => {
      if (asProblem(error).status === 401 && query.queryKey[0] !== 'me') queries.resetQueries();
    },
  }),
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: seconds(2),
      refetchInterval: seconds(60),
      refetchOnWindowFocus: 'always',
      retry: false,
    },
  },
});

export const refresh = (...keys: string[]) => {
  for (const key of keys) void queries.invalidateQueries({ queryKey: [key] });
};

/** Changes what is cached, if anything is. */
export const setCached = <T>(key: string[], update: (data: T) => T) =>
  queries.setQueryData<T>(key, (data) => data && update(data));

/** Changes what is cached to what was stored now. Answers to earlier requests no longer arrive; a new one does. */
export async function updateCached<T>(key: string[], update: (data: T) => T): Promise<void> {
  await queries.cancelQueries({ queryKey: key });
  setCached(key, update);
  void queries.invalidateQueries({ queryKey: key });
}

const queryFor = <T>(path: string) => ({ queryKey: [path], queryFn: () => get<T>(path) });

export const useMe = () =>
  useQuery({
    ...queryFor<Api.Me>('me'),
    staleTime: seconds(600),
    // Retried while the server is restarting, but not without a session.
    refetchInterval: ({ state }) =>
      state.error && asProblem(state.error).status !== 401 ? seconds(3) : false,
  });

export const useSummary = () => useQuery(queryFor<Api.Summary>('summary'));
export const useSite = () => useQuery(queryFor<Api.ReleaseRow[]>('site'));
export const useHealth = () => useQuery(queryFor<Api.Health>('health'));

/** Fetched only on request, and kept while the desk is open. */
export const useLiveCheck = () =>
  useQuery({
    queryKey: ['live'],
    queryFn: () => post<Api.Finding[]>('health/live', {}, seconds(60)),
    enabled: false,
    gcTime: Number.POSITIVE_INFINITY,
  });

/** A paused issue may be resumed elsewhere. */
export const isRunning = ({ state }: Api.IssueRow) => state === 'sending' || state === 'paused';

export const useNewsletter = () =>
  useQuery({
    ...queryFor<Api.Newsletter>('newsletter'),
    refetchInterval: ({ state }) => (state.data?.issues.some(isRunning) ? seconds(2) : seconds(30)),
  });

const leadQuery = (id: string) => ({
  queryKey: ['lead', id],
  queryFn: () => get<Api.LeadPage>(`leads/${encodeURIComponent(id)}`),
});

/** The next waiting lead is fetched ahead. */
export function useLead(id: string) {
  const lead = useQuery({ ...leadQuery(id), refetchInterval: seconds(10) });
  const next = lead.data?.position?.next;
  useEffect(() => {
    if (next) void queries.prefetchQuery(leadQuery(next));
  }, [next]);
  return lead;
}

export const useNumbers = (days: string) =>
  useQuery({
    ...queryFor<Api.Numbers>(`numbers?days=${days}`),
    refetchInterval: seconds(30),
    placeholderData: keepPreviousData,
  });

/** What is shown of a longer search until the server answers: of all leads of the shorter one, those that still match. */
export function stillMatching(found: InboxPages | undefined, view: Api.InboxView, q: string) {
  const page = found?.pages[0];
  if (!page?.q || page.after || page.view !== view || !q.startsWith(page.q)) return found;
  const words = q.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const leads = page.leads.filter((lead) => {
    const text = `${lead.name} ${lead.email} ${lead.excerpt} ${lead.note ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  // Those left may match with words that the list doesn't have.
  if (leads.length === 0 && page.leads.length > 0) return found;
  return { ...found, pages: [{ ...page, q, leads }] } as InboxPages;
}

const pagedQuery = <T extends { after: string | null }>(path: string, params: object) => ({
  queryKey: [path, ...Object.values(params)],
  // The signal cancels a search when a newer one replaces it.
  queryFn: ({ pageParam: after, signal }: { pageParam: string; signal: AbortSignal }) =>
    get<T>(`${path}?${new URLSearchParams({ ...params, after })}`, signal),
  initialPageParam: '',
  getNextPageParam: (last: T) => last.after,
  placeholderData: keepPreviousData,
});

/** With its view and search: while another one is being fetched, the previous page is still shown. */
export type InboxPage = Api.Inbox & { view: Api.InboxView; q: string };
export type InboxPages = InfiniteData<InboxPage, string>;

export const useInbox = (view: Api.InboxView, q = '') => {
  const query = pagedQuery<InboxPage>('inbox', { view, q });
  return useInfiniteQuery({
    ...query,
    queryFn: async (page) => {
      const inbox = await query.queryFn(page);
      setServerTime(inbox.now);
      return { ...inbox, view, q };
    },
    placeholderData: (before) => stillMatching(before, view, q),
    enabled: useIsShown(),
    refetchInterval: seconds(10),
  });
};

/** The newest page of waiting leads, with the counts that every page of the desk shows. */
export const useWaiting = () => useInbox('waiting').data?.pages[0];

export const useSubscribers = (q: string) =>
  useInfiniteQuery(pagedQuery<Api.Subscribers>('subscribers', { q }));

/** Every page is inside its provider: the sign-in page is not part of this app. */
export const OwnerContext = createContext({} as Api.Me);

/** Who is signed in, and facts about the site. */
export const useOwner = () => use(OwnerContext);

/** Formats the server's times: `when(lead.created_at).short`. */
export function useTimes() {
  const { zone } = useOwner().site;
  const now = useNow();
  return (time: string) => timeWords(Date.parse(time), now, zone);
}
