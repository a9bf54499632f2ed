import type { View } from './page.ts';

/** A link at the top of every page. */
export interface NavigationItem {
  readonly path: string;
  readonly text: string;
}

/** What a visitor finds at the top of every page; asked for each page that is made. */
export type Navigation = (view: View) => Promise<readonly NavigationItem[]>;
