import type { PageRoute } from '@portolan/plugin-api';
import type { ConsoleParts } from '../layout/console-parts.ts';
import { homePage } from './home-page.ts';

/** Pages for whoever looks for something. */
export function consumerPages(parts: ConsoleParts): readonly PageRoute[] {
  return [homePage(parts)];
}
