/** What the desk asks the server for, and how often. */
import {
  type InfiniteData,
  keepPreviousData,
  notifyManager,
  QueryCache,
  QueryClient,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { setServerTime } from '../lib/server-time.ts';
import { asProblem, get, post } from './client.ts';
import type * as Api from './types.ts';

// An answer is shown at once, not after a timer.
notifyManager.setScheduler(queueMicrotask);

const seconds = (n: number) => n * 1000;

/** Polling stops while the tab is out of sight and asks at once when it is back. */
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
      refetchOnWindowFocus: 'always',
      retry: false,
    },
  },
});

export const refresh = (...keys: string[]) => {
  for (const key of keys) void queries.invalidateQueries({ queryKey: [key] });
};

const asked = <T>(path: string) => ({ queryKey: [path], queryFn: () => get<T>(path) });

export const useMe = () =>
  useQuery({
    ...asked<Api.Me>('me'),
    staleTime: seconds(600),
    // While the server starts again; a missing session is asked for once.
    refetchInterval: ({ state }) =>
      state.error && asProblem(state.error).status !== 401 ? seconds(3) : false,
  });

export const useSummary = () =>
  useQuery({ ...asked<Api.Summary>('summary'), refetchInterval: seconds(60) });

export const useSite = () => useQuery({ ...asked<Api.Site>('site'), refetchInterval: seconds(60) });

export const useHealth = () =>
  useQuery({ ...asked<Api.Health>('health'), refetchInterval: seconds(60) });

/** Only when it is asked for, and kept while the desk is open. */
export const useLiveCheck = () =>
  useQuery({
    queryKey: ['live'],
    queryFn: () => post<Api.Finding[]>('health/live', {}, seconds(60)),
    enabled: false,
    gcTime: Number.POSITIVE_INFINITY,
  });

export const useNewsletter = () =>
  useQuery({
    ...asked<Api.Newsletter>('newsletter'),
    refetchInterval: ({ state }) =>
      state.data?.issues.some((issue) => issue.state === 'sending') ? seconds(2) : seconds(30),
  });

export const leadQuery = (id: string) => ({
  queryKey: ['lead', id],
  queryFn: () => get<Api.LeadPage>(`leads/${encodeURIComponent(id)}`),
});

export const useLead = (id: string) => useQuery({ ...leadQuery(id), refetchInterval: seconds(10) });

export const useNumbers = (days: string) =>
  useQuery({
    ...asked<Api.Numbers>(`numbers?days=${days}`),
    refetchInterval: seconds(30),
    placeholderData: keepPreviousData,
  });

const inPages = <T extends { after: string | null }>(path: string, params: object) => ({
  queryKey: [path, ...Object.values(params)],
  // A search that another one overtakes is given up.
  queryFn: ({ pageParam: after, signal }: { pageParam: string; signal: AbortSignal }) =>
    get<T>(`${path}?${new URLSearchParams({ ...params, after })}`, signal),
  initialPageParam: '',
  getNextPageParam: (last: T) => last.after,
  placeholderData: keepPreviousData,
});

/** With what was asked for: until its answer is here, the one before stays. */
export type InboxPage = Api.Inbox & { view: Api.InboxView; q: string };
export type InboxPages = InfiniteData<InboxPage, string>;

export const useInbox = (view: Api.InboxView, q = '') => {
  const query = inPages<InboxPage>('inbox', { view, q });
  return useInfiniteQuery({
    ...query,
    queryFn: async (page) => {
      const inbox = await query.queryFn(page);
      setServerTime(inbox.now);
      return { ...inbox, view, q };
    },
    refetchInterval: seconds(10),
  });
};

/** What every page shows of those who wait. */
export const useWaiting = () => useInbox('waiting').data?.pages[0];

export const useSubscribers = (q: string) =>
  useInfiniteQuery(inPages<Api.Subscribers>('subscribers', { q }));
