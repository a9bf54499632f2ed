export function registryPath(name: string, page: '' | '/edit' | '/remove' | '/entries' = ''): string {
  return `/manage/registries/${encodeURIComponent(name)}${page}`;
}

export function registryInApi(name: string): string {
  return `/v1/registries/${encodeURIComponent(name)}`;
}

export const ALL_REGISTRIES = { path: '/manage/registries', text: 'Registries' } as const;
