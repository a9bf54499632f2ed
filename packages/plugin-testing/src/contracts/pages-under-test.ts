import type { ApiAnswer, ApiRequest, PagesKind } from '@portolan/plugin-api';

export interface PagesUnderTest {
  /** Stands in the title of the suite. */
  readonly name: string;
  readonly kind: PagesKind;
  /** Blocks that can be used, with their defaults; the pages are made with the first. */
  readonly blocks: readonly [unknown, ...unknown[]];
  /** What the API answers while all is well. Left out: 404 to everything. */
  readonly api?: (request: ApiRequest, authorization: string | undefined) => ApiAnswer;
}
