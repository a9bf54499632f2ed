import type { OpenPages } from '@portolan/plugin-api';
import { consumerPages } from './consumer/consumer-pages.ts';
import { visitor } from './login/visitor.ts';
import type { ConsoleParts } from './layout/console-parts.ts';
import { styleSheet } from './layout/style-sheet.ts';

/** All pages of the console, and the files that they need. */
export function openConsole(given: Omit<ConsoleParts, 'visitor'>): OpenPages {
  const parts: ConsoleParts = { ...given, visitor };
  return { routes: [styleSheet.route, ...consumerPages(parts)] };
}
