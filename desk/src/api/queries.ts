/** What the desk asks the server for, and how often. */
import {
  type InfiniteData,
  keepPreviousData,
  QueryCache,
  QueryClient,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { setServerTime } from '../lib/clock.ts';
import { asProblem, get } from './client.ts';
import type {
  Health,
  Inbox,
  InboxView,
  LeadPage,
  Me,
  Newsletter,
  Site,
  Subscribers,
  Summary,
} from './types.ts';

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
    mutations: { networkMode: 'always' },
  },
});

export const useMe = () =>
  useQuery({
    queryKey: ['me'],
    queryFn: () => get<Me>('me'),
    staleTime: seconds(600),
    // While the server starts again; a missing session is asked for once.
    refetchInterval: ({ state }) =>
      state.error && asProblem(state.error).status !== 401 ? seconds(3) : false,
  });

export type InboxPages = InfiniteData<Inbox, string | null>;

const inboxPath = (view: InboxView, q: string, after: string | null) =>
  `inbox?${new URLSearchParams({ view, ...(q && { q }), ...(after && { after }) })}`;

export const useInbox = (view: InboxView, q = '') =>
  useInfiniteQuery({
    queryKey: ['inbox', view, q],
    queryFn: async ({ pageParam }) => {
      const inbox = await get<Inbox>(inboxPath(view, q, pageParam));
      setServerTime(inbox.now);
      return inbox;
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.after,
    refetchInterval: seconds(10),
    placeholderData: keepPreviousData,
  });

export const useSummary = () =>
  useQuery({
    queryKey: ['summary'],
    queryFn: () => get<Summary>('summary'),
    refetchInterval: seconds(60),
  });

export const useLead = (id: string) =>
  useQuery({
    queryKey: ['lead', id],
    queryFn: () => get<LeadPage>(`leads/${encodeURIComponent(id)}`),
    refetchInterval: seconds(10),
    placeholderData: (previous) => (previous?.lead.id === id ? previous : undefined),
  });

export const useNewsletter = () =>
  useQuery({
    queryKey: ['newsletter'],
    queryFn: () => get<Newsletter>('newsletter'),
    refetchInterval: ({ state }) =>
      state.data?.issues.some((issue) => issue.state === 'sending') ? seconds(2) : seconds(30),
  });

export const useSubscribers = (q: string) =>
  useInfiniteQuery({
    queryKey: ['subscribers', q],
    queryFn: ({ pageParam }) =>
      get<Subscribers>(
        `subscribers?${new URLSearchParams({ ...(q && { q }), ...(pageParam && { after: pageParam }) })}`,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.after,
    placeholderData: keepPreviousData,
  });

export const useSite = () =>
  useQuery({
    queryKey: ['site'],
    queryFn: () => get<Site>('site'),
    refetchInterval: seconds(60),
  });

export const useHealth = () =>
  useQuery({
    queryKey: ['health'],
    queryFn: () => get<Health>('health'),
    refetchInterval: seconds(60),
  });

export const refresh = (...keys: string[]) => {
  for (const key of keys) void queries.invalidateQueries({ queryKey: [key] });
};
