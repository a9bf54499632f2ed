export function sourcePath(name: string, page: '' | '/edit' | '/remove' | '/sync' | '/entries' = ''): string {
  return `/manage/sources/${encodeURIComponent(name)}${page}`;
}

export function sourceInApi(name: string): string {
  return `/v1/sources/${encodeURIComponent(name)}`;
}

export const ALL_SOURCES = { path: '/manage/sources', text: 'Sources' } as const;
