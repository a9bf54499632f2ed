import path from 'node:path';
import { serverDocument } from '../../../support/registry-under-test.ts';
import type { Json } from '../../../support/counting-registry.ts';

const ROOT = path.join(import.meta.dirname, '../../../..');
const PROVIDED = 'io.modelcontextprotocol.registry/publisher-provided';

/** A source with an inline catalogue. */
export function inlineSource(name: string, data: Json): Json {
  return { name, file: { data: JSON.stringify({ version: '1.0.0', data }) } };
}

/** File source of an example with its absolute path. */
export function exampleFile(file: string): Json {
  return { path: path.join(ROOT, 'examples', file) };
}

/** A server that runs as a package, with metadata of its publisher outside the schema. */
export function packedServer(name: string, version: string, extension: Json, more: Json = {}): Json {
  const identifier = `@acme/${name.split('/').at(-1)}`;
  return serverDocument(name, version, {
    packages: [
      {
        registryType: 'npm',
        identifier,
        version,
        transport: { type: 'stdio' },
        environmentVariables: [
          { name: 'API_KEY', description: 'Key of the service', isRequired: true, isSecret: true },
          { name: 'REGION', default: 'eu', choices: ['eu', 'us'] },
        ],
      },
    ],
    _meta: { [PROVIDED]: { 'io.github.stacklok': { [identifier]: { status: 'active', ...extension } } } },
    ...more,
  });
}

/** Texts that would have an effect if a page did not escape them. */
export const HOSTILE = {
  script: '<script>globalThis.caught = true</script>',
  image: '"><img src=x onerror="globalThis.caught = true">',
  link: 'javascript:globalThis.caught=true',
  closing: '</title></textarea></pre><script>globalThis.caught = true</script>',
} as const;

/** Markdown of known attacks against pages. */
export const HOSTILE_MARKDOWN = [
  '# Heading <script>globalThis.caught = true</script>',
  `[click](${HOSTILE.link}) [click](JaVaScRiPt:globalThis.caught=true) [data](data:text/html,<script>1</script>)`,
  '<a href="java&#x0A;script:globalThis.caught=true">a</a> <a href="//other.example/x">b</a> <a href="/v1/me">c</a>',
  '![image](https://other.example/image.png "t") <img src="https://other.example/b.png" onerror="globalThis.caught=true">',
  '<svg onload="globalThis.caught=true"><animate onbegin="globalThis.caught=true"/></svg>',
  '<math><mi xlink:href="javascript:globalThis.caught=true">m</mi></math>',
  '<iframe src="https://other.example/"></iframe><object data="x"></object><embed src="x">',
  '<form action="https://other.example/"><input name=q><button formaction="javascript:1">b</button></form>',
  '<p style="position:fixed;inset:0;background:url(https://other.example/c)" onclick="globalThis.caught=true" id="content" class="top">styled</p>',
  '<style>@import "https://other.example/d.css"; body{display:none}</style><link rel=stylesheet href=//other.example/e.css>',
  '<base href="https://other.example/"><meta http-equiv="refresh" content="0;url=https://other.example/">',
  '<noscript><p title="</noscript><img src=x onerror=globalThis.caught=true>"></noscript>',
  '<template><img src=x onerror=globalThis.caught=true></template><!--><img src=x onerror=globalThis.caught=true>-->',
].join('\n\n');
