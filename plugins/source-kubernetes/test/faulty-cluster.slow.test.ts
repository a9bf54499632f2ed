import type { JsonObject, Source } from '@portolan/plugin-api';
import { createTestContext, eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { KubernetesConfig } from '../src/index.ts';
import { createSource } from '../src/kubernetes-source.ts';
import { mapOf } from '../src/objects/cluster-object.ts';
import type { Pauses } from '../src/watch/pauses.ts';
import { faultOf } from './support/fault-of.ts';
import { service } from './support/objects.ts';
import { Follower, namesIn, readItems } from './support/read-items.ts';
import { ScriptedCluster } from './support/scripted-cluster.ts';

const SERVICES = '/api/v1/namespaces/team-a/services';
const PAUSES = { first: 5, longest: 20, absent: 20 };

function listOf(names: readonly string[], metadata: JsonObject = {}): JsonObject {
  const items = names.map((name) => {
    const object = service(name);
    return { ...object, metadata: { ...mapOf(object['metadata']), uid: `uid-of-${name}` } };
  });
  return { items, metadata: { resourceVersion: '7', ...metadata } };
}

describe('kubernetes source with a faulty cluster', () => {
  let cluster: ScriptedCluster;
  let followers: Follower[] = [];
  beforeEach(async () => {
    cluster = await ScriptedCluster.start();
  });
  afterEach(async () => {
    await Promise.all(followers.map((follower) => follower.stop()));
    followers = [];
    await cluster.stop();
  });

  function open(config: Partial<KubernetesConfig> = {}, pauses: Pauses = PAUSES): Source {
    const defaults = { kubeconfig: cluster.kubeconfig, namespaces: ['team-a'], namePrefix: 'k8s' };
    return createSource({ ...defaults, resources: ['services'], ...config }, createTestContext(), { pauses });
  }

  const faults: readonly {
    readonly title: string;
    readonly answer: number | string | JsonObject;
    readonly code: string;
    readonly says: string;
  }[] = [
    { title: 'that it is overloaded', answer: 429, code: 'ERR_KUBERNETES_ANSWER', says: 'status 429' },
    { title: 'with an error of its own', answer: 500, code: 'ERR_KUBERNETES_ANSWER', says: 'status 500' },
    {
      title: 'that nobody is logged in',
      answer: 401,
      code: 'ERR_SOURCE_DENIED',
      says: 'status 401',
    },
    { title: 'that the request is none', answer: 400, code: 'ERR_SOURCE_CONFIG', says: 'status 400' },
    {
      title: 'with a page of a portal',
      answer: '<html>s3cret</html>',
      code: 'ERR_KUBERNETES_ANSWER',
      says: 'something else than JSON',
    },
    {
      title: 'with a list that is none',
      answer: { items: 's3cret' },
      code: 'ERR_KUBERNETES_ANSWER',
      says: 'no list of services',
    },
  ];
  for (const { title, answer, code, says } of faults) {
    it(`reports a distinct error when it responds ${title}`, async () => {
      cluster.script = (_, response) => {
        if (typeof answer !== 'string') return answer;
        response.end(answer);
        return 'answered';
      };
      const fault = await faultOf(() => readItems(open()));
      expect(fault.code).to.equal(code);
      expect(fault.message).to.include(says);
      expect(`${fault.message}${fault.hint}`).to.not.match(/s3cret|127\.0\.0\.1/);
    });
  }

  it('aborts an endless response before it fills the memory', async () => {
    const some = Buffer.alloc(1_048_576, ' ');
    cluster.script = (_, response) => {
      const pour = (): void => {
        while (!response.destroyed && response.write(some));
      };
      response.on('drain', pour);
      pour();
      return 'answered';
    };
    const fault = await faultOf(() => readItems(open()));
    expect([fault.code, fault.message]).to.deep.equal([
      'ERR_KUBERNETES_ANSWER',
      'The Kubernetes API server responded with more than 67108864 bytes at once.',
    ]);
  });

  it('starts over when a list expires between pages, without gaps or duplicates', async () => {
    let turns = 0;
    cluster.script = ({ query }) => {
      if (query.get('continue') === null) return listOf(['a', 'b'], { continue: 'next' });
      turns += 1;
      return turns === 1 ? 410 : listOf(['c']);
    };
    expect(await namesIn(open())).to.deep.equal(['k8s.team-a/a', 'k8s.team-a/b', 'k8s.team-a/c']);
  });

  it('gives up when every list expires', async () => {
    cluster.script = ({ query }) => (query.get('continue') === null ? listOf([], { continue: 'next' }) : 410);
    const fault = await faultOf(() => readItems(open()));
    expect(fault.message).to.include('a list that ran out');
  });

  it('gives up on an endless list', async () => {
    cluster.script = () => listOf([], { continue: 'again' });
    const fault = await faultOf(() => readItems(open()));
    expect(fault.message).to.include('a list without end');
  });

  // An API server that has just started answers 404 for resources whose definitions it has not read yet.
  it('does not trust an empty list of custom resources while the cluster starts', async () => {
    cluster.script = ({ path }) => {
      if (path === '/readyz') return 500;
      return path.startsWith('/api/v1/') ? listOf(['a']) : undefined;
    };
    const source = open({ resources: ['mcpservers', 'services'] });
    expect((await faultOf(() => readItems(source))).message).to.include('not ready yet');
    for (const ready of [200, 403]) {
      cluster.script = ({ path }) => {
        if (path === '/readyz') return ready;
        return path.startsWith('/api/v1/') ? listOf(['a']) : undefined;
      };
      expect(await namesIn(source), 'when it is ready, or may not say').to.deep.equal(['k8s.team-a/a']);
    }
  });

  // What stands between may know no such cluster any more, and answers 404 to everything.
  it('does not trust a cluster without any resource, service or readiness', async () => {
    for (const resources of [['services'], ['mcpservers'], ['mcpservers', 'services']] as const) {
      const fault = await faultOf(() => readItems(open({ resources: [...resources] })));
      expect([fault.code, fault.message.includes('as if it were none')], resources.join()).to.deep.equal([
        'ERR_KUBERNETES_ANSWER',
        true,
      ]);
    }
  });

  describe('that permits list but not watch', () => {
    let mayList = true;
    let mayWatch = true;
    let follower: Follower;
    const open403 = (): void => {
      mayList = true;
      mayWatch = false;
      cluster.script = ({ query }, response) => {
        if (query.get('watch') === null) return mayList ? listOf(['a']) : 403;
        if (!mayWatch) return 403;
        response.write(
          `${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '9' } } })}\n`,
        );
        return 'answered';
      };
      follower = new Follower(open());
      followers.push(follower);
    };
    const watches = (): number => cluster.asked.filter((one) => one.includes('watch=true')).length;
    const later = async (): Promise<void> => {
      const before = watches();
      await eventually(() => expect(watches()).to.be.at.least(before + 8));
    };

    it('does not list repeatedly, and watches once it is permitted', async () => {
      open403();
      await later();
      const { rings } = follower;
      expect(rings, 'when it began, and when it was refused').to.be.within(1, 2);
      await later();
      expect(follower.rings).to.equal(rings);
      mayWatch = true;
      await eventually(() => expect(follower.rings).to.equal(rings + 1));
    });

    it('reports lost and restored permissions in its status', async () => {
      open403();
      mayWatch = true;
      await eventually(() => expect(follower.rings).to.equal(1));
      await eventually(() => expect(watches()).to.equal(1));
      mayList = false;
      mayWatch = false;
      cluster.cut();
      await eventually(() => expect(follower.rings).to.equal(2));
      mayList = true;
      mayWatch = true;
      await eventually(() => expect(follower.rings).to.be.at.least(3));
    });
  });

  it('watches from the version of its list', async () => {
    const write = (
      response: Parameters<typeof cluster.script>[1],
      ...events: readonly JsonObject[]
    ): 'answered' => {
      for (const event of events) response.write(`${JSON.stringify(event)}\n`);
      return 'answered';
    };
    const bookmark = (resourceVersion: string): JsonObject => ({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion } },
    });
    let lists = 0;
    let watches = 0;
    cluster.script = ({ query }, response) => {
      if (query.get('watch') === null) {
        if (query.get('limit') === '1') lists += 1;
        return listOf(['a'], { resourceVersion: `list-${lists}` });
      }
      watches += 1;
      switch (watches) {
        case 1:
          write(response, bookmark('8'), bookmark('9'));
          response.end();
          return 'answered';
        case 2:
          return write(response, { type: 'ERROR', object: { code: 410 } });
        case 3:
          return 410;
        case 4:
          return write(response, { type: 'ERROR', object: { code: 504 } }); // a version that is too new
        case 5:
          response.write('no event\n');
          return 'answered';
        default:
          return 'answered';
      }
    };
    const follower = new Follower(open());
    followers.push(follower);
    await eventually(() => expect(watches).to.equal(6));
    const versions = cluster.asked
      .filter((one) => one.includes('watch=true'))
      .map((one) => new URLSearchParams(one.split('?')[1]).get('resourceVersion'));
    const anew = ['list-2', 'list-3', 'list-4', 'list-5'];
    expect(versions, 'from a bookmark, then from new lists').to.deep.equal(['list-1', '9', ...anew]);
    expect(cluster.asked.find((one) => one.includes('watch=true'))).to.include('allowWatchBookmarks=true');
  });

  it('backs off when the cluster ends each watch at once', async () => {
    const times: number[] = [];
    cluster.script = ({ query }, response) => {
      if (query.get('watch') === null) return listOf(['a']);
      times.push(performance.now());
      response.end();
      return 'answered';
    };
    const follower = new Follower(open({}, { ...PAUSES, longest: 5000 }));
    followers.push(follower);
    await eventually(() => expect(times).to.have.length.of.at.least(8));
    const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    // From 5 ms on, each twice the one before; timers may be a little early, and late by any time.
    for (const [index, pause] of pauses.slice(0, 7).entries())
      expect(pause, String(index)).to.be.at.least(4 * 2 ** index);
  });

  it('leaves no timer of a failed watch', async () => {
    let watches = 0;
    cluster.script = ({ query }, response) => {
      if (query.get('watch') === null) return listOf(['a']);
      watches += 1;
      if (watches <= 30) response.write(`${JSON.stringify({ type: 'ERROR', object: { code: 410 } })}\n`);
      return 'answered';
    };
    followers.push(new Follower(open()));
    await eventually(() => expect(watches).to.equal(31));
    const timers = process.getActiveResourcesInfo().filter((what) => what === 'Timeout');
    expect(timers.length, 'each watch has one against silence').to.be.lessThan(30);
  });

  it('requests only the configured resources', async () => {
    cluster.script = () => listOf([]);
    await readItems(open({ labelSelector: 'tier in (a,b)' }));
    expect(cluster.asked).to.deep.equal([`${SERVICES}?limit=50&labelSelector=tier+in+%28a%2Cb%29`]);
  });
});
