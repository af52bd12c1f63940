import type { Content } from '../../src/content/types.ts';
import { loadContent } from '../content.ts';
import { paths } from '../paths.ts';
import { frozen } from './frozen.ts';

export const frozenContent = async (): Promise<Content> =>
  (await loadContent(frozen.content, paths.pictures)).content;
