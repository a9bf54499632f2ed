import { expect } from 'chai';
import { requireNpmIndex } from '../../support/npm-index.ts';
import { OwnBaseImage } from '../../support/own-base-image.ts';
import { WorkloadUser } from '../../support/workload-user.ts';
import { expectUsable } from './connect-client.ts';

const PACKAGE = 'npx://@modelcontextprotocol/server-everything';

const MODES = [
  { transport: 'stdio', flags: [], args: [] },
  { transport: 'sse', flags: ['--transport', 'sse'], args: ['--', 'sse'] },
  {
    transport: 'streamable-http',
    flags: ['--transport', 'streamable-http'],
    args: ['--', 'streamableHttp'],
  },
] as const;

/** The only suite here that uses a public index. Its first test builds the image. */
describe(`portolan run ${PACKAGE}`, function () {
  this.timeout(180_000); // The hook builds an image.
  let user: WorkloadUser | undefined;
  let base: OwnBaseImage | undefined;
  before(async function () {
    user = await WorkloadUser.open(this);
    await requireNpmIndex(this, user, PACKAGE);
    base = await OwnBaseImage.make(user.runtime);
  });
  after(async () => {
    await user?.removeLeft();
    await base?.remove();
    await user?.close();
  });

  for (const { transport, flags, args } of MODES) {
    it(`serves the official client over ${transport}`, async () => {
      if (user === undefined || base === undefined) throw new Error('there is no user');
      const runtime = ['--runtime-image', base.reference];
      const url = await user.run(PACKAGE, '--name', 'freighter', ...runtime, ...flags, ...args);
      await expectUsable(url);
      const [listed] = await user.list();
      expect(listed).to.include({ name: 'freighter', status: 'running', url, transport, group: 'default' });
      expect(String(listed?.['package'])).to.match(/^npx:\/\/@modelcontextprotocol\/server-everything@\d/);
      await user.removeAll('freighter');
    });
  }
});
