/** Where a configuration is looked for in a folder, the first one wins. */
export const SEARCH_PLACES: readonly string[] = [
  'portolan.config.ts',
  'portolan.config.js',
  'portolan.config.mjs',
  'portolan.config.yaml',
  'portolan.config.yml',
  'portolan.config.json',
  '.portolanrc',
  '.portolanrc.yaml',
  '.portolanrc.yml',
  '.portolanrc.json',
  'package.json',
];
