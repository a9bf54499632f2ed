/** File names of configurations in a folder, in order of precedence. */
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
