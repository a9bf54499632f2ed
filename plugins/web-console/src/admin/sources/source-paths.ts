/** Where the pages of a source are. */
export function sourcePath(name: string, page: '' | '/edit' | '/remove' | '/sync' | '/entries' = ''): string {
  return `/manage/sources/${encodeURIComponent(name)}${page}`;
}

/** The source in the API. */
export function sourceInApi(name: string): string {
  return `/v1/sources/${encodeURIComponent(name)}`;
}

/** The list of them, on the way to a page. */
export const ALL_SOURCES = { path: '/manage/sources', text: 'Sources' } as const;
