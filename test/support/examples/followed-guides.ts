const REGISTRY = 'docs/guides/registry';

/** Pages of the admin API. A test follows them in this order, in the folder of `examples/claims-registry`. */
export const ADMIN_API: readonly string[] = [
  'start',
  'sources',
  'registries',
  'entries',
  'concurrency',
  'pagination',
  'errors',
].map((page) => `${REGISTRY}/admin-api/${page}.md`);

/** Pages that a test follows in this order, as Ada in the folder of `examples/claims-registry`. */
export const WITH_CLAIMS: readonly string[] = [
  'public-registry',
  'require-login',
  'authorize-by-claims',
  'roles',
  'explain-access',
  'service-accounts',
  'query-api',
  'sources/file',
  'sources/filter',
  'sources/limits',
  'sources/mirrors',
  'audit-log',
  'publish/skills-and-plugins',
  'publish/publish-catalogues',
  'publish/versions',
  'publish/claims',
].map((page) => `${REGISTRY}/${page}.md`);
