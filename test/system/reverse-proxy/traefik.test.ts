import { expect } from 'chai';
import { parse } from 'yaml';
import { shownIn } from '../../support/examples/shown-in.ts';

/** Part of Traefik's dynamic configuration that the guide uses. */
interface Dynamic {
  readonly http: {
    readonly routers: Readonly<
      Record<
        string,
        { readonly rule: string; readonly middlewares?: readonly string[]; readonly service: string }
      >
    >;
    readonly middlewares: Readonly<
      Record<string, { readonly stripPrefix: { readonly prefixes: readonly string[] } }>
    >;
    readonly services: Readonly<
      Record<string, { readonly loadBalancer: { readonly servers: readonly { readonly url: string }[] } }>
    >;
  };
}

/**
 * Returns the path at the server for an outside address, with the routing rules of Traefik's documentation.
 * Undefined without a match.
 */
function pathAtServer({ http }: Dynamic, host: string, asked: string): string | undefined {
  // The longest rule has precedence.
  const routers = Object.values(http.routers).toSorted((one, other) => other.rule.length - one.rule.length);
  for (const { rule, middlewares = [], service } of routers) {
    const matchers = rule
      .split(' && ')
      .map((matcher) => /^(Host|Path|PathPrefix)\(`([^`]+)`\)$/.exec(matcher));
    const isMet = matchers.every((matcher) => {
      if (matcher === null) throw new Error(`not a rule of Traefik 2 and 3: ${rule}`);
      const [, name, value = ''] = matcher;
      if (name === 'Host') return host === value;
      return name === 'Path' ? asked === value : asked.startsWith(value);
    });
    if (!isMet) continue;
    expect(http.services[service]?.loadBalancer.servers, service).to.deep.equal([
      { url: 'http://127.0.0.1:8080' },
    ]);
    return middlewares.reduce((path, name) => {
      const prefix = http.middlewares[name]?.stripPrefix.prefixes.find((one) => path.startsWith(one));
      if (prefix === undefined) throw new Error(`nothing is taken away by ${name}`);
      return path.slice(prefix.length) || '/';
    }, asked);
  }
  return undefined;
}

describe('Traefik rules of docs/operate/reverse-proxy-traefik.md, evaluated by this test because Traefik is not available', () => {
  it('remove the path prefix except for the metadata', async () => {
    // SAFETY: the block of the guide. The lines below fail for other content.
    const dynamic = parse(
      await shownIn('docs/operate/reverse-proxy-traefik.md', 'http:\n  routers:'),
    ) as Dynamic;
    expect(Object.keys(dynamic)).to.deep.equal(['http']);
    expect(Object.keys(dynamic.http)).to.have.members(['routers', 'middlewares', 'services']);
    const at = (path: string, host = 'acme.example') => pathAtServer(dynamic, host, path);
    expect(at('/mcp-registry/registry/main/v0.1/servers/a%2Fb')).to.equal(
      '/registry/main/v0.1/servers/a%2Fb',
    );
    const metadata = '/.well-known/oauth-protected-resource/mcp-registry';
    expect(at(metadata)).to.equal(metadata);
    expect([at('/'), at('/mcp-registry/registry', 'other.example')]).to.deep.equal([undefined, undefined]);
  });
});
