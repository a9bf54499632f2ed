/** Where the pages of a registry's definition are. */
export function registryPath(name: string, page: '' | '/edit' | '/remove' | '/entries' = ''): string {
  return `/manage/registries/${encodeURIComponent(name)}${page}`;
}

/** The registry in the admin API. */
export function registryInApi(name: string): string {
  return `/v1/registries/${encodeURIComponent(name)}`;
}

/** The list of them, on the way to a page. */
export const ALL_REGISTRIES = { path: '/manage/registries', text: 'Registries' } as const;
