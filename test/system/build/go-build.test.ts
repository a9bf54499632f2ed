import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { askInitialize } from './support/ask-server.ts';
import { BuildStage } from './support/build-stage.ts';
import { caughtError } from './support/caught-error.ts';
import { GO_SERVER, publishModule } from './support/go-module.ts';
import { GO_HOST } from './support/local-indexes.ts';

const MODULE = 'example.org/acme/notes';

describe('package builds of go:// targets', function () {
  this.timeout(180_000);
  const stage = new BuildStage();
  before(async function () {
    await stage.open(this, ['go-plain']);
    for (const version of ['v1.2.0', 'v1.10.0', 'v2.0.0-rc.1']) publishModule(stage.indexes, MODULE, version);
  });
  after(async () => {
    await stage.close();
  });

  const context = (
    change: Partial<ReturnType<BuildStage['context']>> = {},
  ): ReturnType<BuildStage['context']> => {
    const usual = stage.context();
    const environment = { ...usual.environment, GOPROXY: `https://${GO_HOST},direct`, GOSUMDB: 'off' };
    return { ...usual, environment, ...change };
  };
  const ask = async (image: string): Promise<string> => {
    const { runtime, labels } = stage.engine;
    return (await askInitialize(runtime, { name: stage.engine.name(), image, labels })).serverInfo.name;
  };

  it('builds the newest release of the module of an import path into a working server', async () => {
    const request = stage.request(`go://${MODULE}/cmd/server`, 'go-plain', { entryArguments: ['a b'] });
    const built = await stage.provide(request, context());
    expect(built.package).to.deep.include({ version: 'v1.10.0' });
    expect(built).to.deep.include({ built: true, notes: [] });
    expect(await ask(built.reference)).to.equal('gonotes a b');
    const image = await stage.engine.runtime.inspectImage(built.reference);
    expect(image?.user).to.equal('65532:65532');
    expect(image?.sizeBytes).to.be.lessThan(10_000_000);
    expect(new Set(stage.indexes.tunnels)).to.deep.equal(new Set([`${GO_HOST}:443`]));
    expect((await stage.provide(request, context())).built).to.equal(false);
  });

  it('builds a local folder with its module as the context, without files in .dockerignore', async () => {
    const root = stage.path('project');
    const write = async (file: string, text: string): Promise<void> => {
      await mkdir(path.dirname(path.join(root, file)), { recursive: true });
      await writeFile(path.join(root, file), text);
    };
    await write('go.mod', `module ${MODULE}\n\ngo 1.24\n`);
    await write('cmd/server/main.go', GO_SERVER);
    await write('.dockerignore', '# what is not ours\n*.log\nsecrets\n');
    await write('secrets/key.pem', 'private');
    await symlink('/etc/passwd', path.join(root, 'outside'));
    const request = stage.request('go://./cmd/server', 'go-plain');
    const inside = context({ workingDirectory: root });
    const built = await stage.provide(request, inside);
    expect(built.reference).to.match(/^portolanlocal\/go-cmd-server:/);
    expect(await ask(built.reference)).to.equal('gonotes');
    await write('secrets/key.pem', 'another');
    await write('run.log', 'a line');
    expect(await stage.provide(request, inside)).to.deep.equal({ ...built, built: false });
    await write('cmd/server/main.go', GO_SERVER.replace('gonotes', 'changed'));
    const changed = await stage.provide(request, inside);
    expect(changed.reference).not.to.equal(built.reference);
    expect(await ask(changed.reference)).to.equal('changed');
  });

  it('reports a package that is not a program', async () => {
    const error = await caughtError(
      stage.provide(stage.request(`go://${MODULE}@v1.2.0`, 'go-plain'), context()),
    );
    expect(error.code).to.equal('ERR_PACKAGE_BUILD');
    expect(error.message).to.match(/not a main package|has no package main/);
  });
});
