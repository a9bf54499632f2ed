import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rootCertificates } from 'node:tls';
import { expect } from 'chai';
import { type Finished, runPortolan } from '../../support/command-line.ts';
import { shownIn } from '../../support/examples/shown-in.ts';
import { foldersBelow } from '../../support/user-folders.ts';

const GUIDES = 'docs/guides/protect';

/** Files of the guides, by the flag of `portolan run` that takes them. */
const FILES = {
  'rate-limit-config': ['limits.yaml', 'rate-limiting.md', 'global: {'],
  'webhook-config': ['hooks.yaml', 'webhooks.md', 'mutating:'],
  'audit-config': ['audit.json', 'audit-log.md', '{\n     "component"'],
  'tools-override': ['override.json', 'filter-tools.md', '{ "toolsOverride"'],
  'authz-config': ['authz.yaml', 'decision-point.md', 'version: "1.0"'],
  'permission-profile': ['profile.json', 'network-isolation.md', '{\n     "read"'],
} as const;

describe('files in docs/guides/protect', function () {
  this.timeout(120_000); // The cases start the command line several times.
  let root: string;
  let environment: Readonly<Record<string, string>>;

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-protect-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const host = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const runtimes = { processes: { folder: path.join(root, 'servers'), programs: {} } };
    const file = path.join(root, 'portolan.json');
    await writeFile(file, JSON.stringify({ plugins: [host], runtimes }));
    environment = {
      ...foldersBelow(root),
      PORTOLAN_CONFIG: file,
      PORTOLAN_RUNTIME: 'processes',
      PORTOLAN_DEFAULT_REGISTRY: 'off',
    };
  });
  after(async () => {
    await rm(root, { recursive: true, force: true });
  });

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env: environment });

  /** Writes a sample of a guide to a file. A sample in a numbered step is indented. */
  async function write(name: string, guide: string, beginning: string): Promise<void> {
    const shown = await shownIn(`${GUIDES}/${guide}`, beginning).catch(async () =>
      (await shownIn(`${GUIDES}/${guide}`, `   ${beginning}`)).replaceAll(/^ {3}/gm, ''),
    );
    await writeFile(path.join(root, name), shown.replaceAll('/var/log/portolan', root));
  }

  it('are accepted by portolan plan', async () => {
    for (const [name, guide, beginning] of Object.values(FILES)) await write(name, guide, beginning);
    await writeFile(path.join(root, 'acme-ca.pem'), rootCertificates[0] ?? '');
    const flags = Object.entries(FILES).map(([flag, [name]]) => `--${flag}=${name}`);
    const tools = '--tools=echo,add';
    const { status, stdout, stderr } = await portolan(
      'plan',
      '--isolate-network=false',
      tools,
      ...flags,
      'acme/everything:1',
    );
    expect(status, stderr).to.equal(0);
    expect(stdout).to.include('redact').and.to.include('payments-mcp').and.to.include('render');
  });

  it('contain Cedar policies without problems', async () => {
    await write(
      'cedar.yaml',
      'authorize-with-cedar.md',
      `version: "1.0"\ntype: cedarv1\ncedar:\n  policies:\n    - 'permit(principal, action`,
    );
    const { status, stdout, stderr } = await portolan('authz', 'validate', 'cedar.yaml');
    expect(status, stderr).to.equal(0);
    expect(stdout).to.include('no problems');
  });
});
