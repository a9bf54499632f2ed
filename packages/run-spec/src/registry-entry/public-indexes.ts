/** Indexes of packages whose entry names none. */
export const PUBLIC_INDEXES = { npm: 'https://registry.npmjs.org', pypi: 'https://pypi.org' } as const;
