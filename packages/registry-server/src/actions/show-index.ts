import type { RegistryReader } from '@portolan/registry';
import { escapeHtml } from '../responses/escape-html.ts';
import { sendDocument } from '../responses/send-json.ts';
import { type Step, step } from '../request/route.ts';
import type { VersionInfo } from '../request/version-info.ts';
import { baseUrl, registryUrl } from './base-url.ts';
import { openRegistries } from './open-registries.ts';

interface Index {
  readonly name: string;
  readonly version: string;
  readonly registries: readonly { readonly name: string; readonly url: string }[];
  readonly links: Readonly<Record<string, string>>;
}

/** Responds with JSON, or with a short page for browsers. */
export function showIndex(
  reader: RegistryReader,
  { version }: VersionInfo,
  publicUrl: string | undefined,
): Step {
  return step('showIndex', async (ctx) => {
    const names = await openRegistries(ctx, reader);
    const base = baseUrl(ctx, publicUrl);
    const index: Index = {
      name: 'portolan',
      version,
      registries: names.map((name) => ({ name, url: registryUrl(base, name) })),
      links: {
        registries: `${base}/registry`,
        'openapi.json': `${base}/openapi.json`,
        'openapi.yaml': `${base}/openapi.yaml`,
      },
    };
    ctx.set('Vary', 'Accept, Authorization');
    // Koa picks the first type when the client accepts any, so JSON comes first.
    if (ctx.accepts('json', 'html') === 'html')
      sendDocument(ctx, indexPage(index), 'text/html; charset=utf-8');
    else sendDocument(ctx, `${JSON.stringify(index)}\n`, 'application/json');
  });
}

function indexPage({ version, registries, links }: Index): string {
  const rows = registries.map(({ name, url }) => {
    const servers = `${url}/v0.1/servers?version=latest`;
    return `<li><a href="${escapeHtml(servers)}">${escapeHtml(name)}</a> <code>${escapeHtml(url)}</code></li>`;
  });
  const list = rows.length === 0 ? '<p>No registry is open to you.</p>' : `<ul>\n${rows.join('\n')}\n</ul>`;
  const further = Object.entries(links).map(
    ([text, url]) => `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Portolan</title>
<h1>Portolan</h1>
<p>A registry of MCP servers, version ${escapeHtml(version)}. Give the address of a registry to your client.</p>
${list}
<p>${further.join(' · ')}</p>
</html>
`;
}
