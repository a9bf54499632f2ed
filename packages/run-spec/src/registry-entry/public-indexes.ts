/** Default package index by package type, for packages whose entry names no index. */
export const PUBLIC_INDEXES = { npm: 'https://registry.npmjs.org', pypi: 'https://pypi.org' } as const;
