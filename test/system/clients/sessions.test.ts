import { eventually } from '@portolan/plugin-testing';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ProgressNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import { provideEverythingImage } from '../../support/everything-image.ts';
import { WorkloadUser } from '../../support/workload-user.ts';
import { callTool, connectClient } from './connect-client.ts';

/** A client that returns its own name for requests of a server, and records what it receives. */
interface Crew {
  readonly name: string;
  readonly client: Client;
  readonly asked: string[];
  readonly logged: string[];
  /** Token, progress and total of each notification. */
  readonly progress: unknown[][];
}

const WAYS = [
  { title: 'streamable HTTP', flags: [] },
  { title: 'HTTP+SSE', flags: ['--proxy-mode', 'sse'] },
] as const;

for (const { title, flags } of WAYS) {
  describe(`concurrent clients of a stdio server, over ${title}`, function () {
    this.timeout(180_000); // The cases run containers.
    let user: WorkloadUser;
    let url: string;
    const crews: Crew[] = [];
    before(async function () {
      user = await WorkloadUser.open(this);
      url = await user.run(await provideEverythingImage(), '--name', 'liner', ...flags);
      crews.push(...(await Promise.all(['ada', 'grace', 'joan'].map((name) => enlist(url, name)))));
    });
    after(async () => {
      for (const { client } of crews) await client.close();
      if (url !== undefined) await user.removeAll('liner');
      await user?.close();
    });

    it('receive the sampling requests of their own calls', async () => {
      const answers = await Promise.all(
        crews.flatMap(({ client, name }) =>
          [1, 2, 3].map((turn) =>
            callTool(client, 'trigger-sampling-request', { prompt: `${name} ${turn}`, maxTokens: 5 }),
          ),
        ),
      );
      const expected = crews.flatMap(({ name }) => [1, 2, 3].map((turn) => `${name} on ${name} ${turn}`));
      answers.forEach((answer, index) => expect(answer).to.contain(expected[index]));
      for (const { name, asked } of crews) {
        const own = [1, 2, 3].map((turn) => `Resource trigger-sampling-request context: ${name} ${turn}`);
        expect(asked.toSorted()).to.deep.equal(own);
      }
    });

    it('receive the elicitation requests of their own calls, and their response reaches that call', async () => {
      const answers = await Promise.all(
        crews.map(({ client }) => callTool(client, 'trigger-elicitation-request')),
      );
      answers.forEach((answer, index) => expect(answer).to.contain(`- Name: ${crews[index]?.name}`));
    });

    it('receive the progress of their own calls, in order', async () => {
      await Promise.all(
        crews.map(({ client, name }, index) =>
          client.callTool({
            name: 'trigger-long-running-operation',
            arguments: { duration: 0.2, steps: index + 2 },
            _meta: { progressToken: `voyage of ${name}` },
          }),
        ),
      );
      // The client handles a notification after the call's response.
      await eventually(() => {
        for (const [index, { name, progress }] of crews.entries()) {
          const total = index + 2;
          const steps = Array.from({ length: total }, (_, step) => step + 1);
          expect(progress).to.deep.equal(steps.map((step) => [`voyage of ${name}`, step, total]));
        }
      });
    });

    it('receive only the log messages that they requested', async () => {
      const [first, ...others] = crews;
      await callTool(first?.client as Client, 'toggle-simulated-logging');
      await eventually(() => expect(first?.logged).to.have.length.greaterThan(0));
      await callTool(first?.client as Client, 'toggle-simulated-logging');
      for (const { logged } of others) expect(logged).to.deep.equal([]);
    });

    it('receive updates of resources that they subscribed to', async () => {
      const { client } = crews[1] as Crew;
      const updated: string[] = [];
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
        updated.push(params.uri);
      });
      const uri = 'demo://resource/dynamic/text/1';
      await client.subscribeResource({ uri });
      await callTool(client, 'toggle-subscriber-updates');
      await eventually(() => expect(updated).to.include(uri), { withinMs: 40_000 });
      await callTool(client, 'toggle-subscriber-updates');
    });

    it('receive the error of the server for an unknown tool', async () => {
      const { client } = crews[2] as Crew;
      expect(await callTool(client, 'no-such-tool')).to.contain('no-such-tool');
    });
  });
}

async function enlist(url: string, name: string): Promise<Crew> {
  const asked: string[] = [];
  const logged: string[] = [];
  const progress: unknown[][] = [];
  const client = await connectClient(url, {
    name,
    capabilities: { sampling: {}, elicitation: {} },
    prepare: (one) => {
      one.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
        const content = params.messages[0]?.content;
        const text = content !== undefined && 'text' in content ? content.text : '';
        asked.push(text);
        const answer = `${name} on ${text.split('context: ')[1]}`;
        return { role: 'assistant', model: 'none', content: { type: 'text', text: answer } };
      });
      one.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name } }));
      one.setNotificationHandler(ProgressNotificationSchema, ({ params }) => {
        progress.push([params.progressToken, params.progress, params.total]);
      });
      one.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
        logged.push(String(params.data));
      });
    },
  });
  return { name, client, asked, logged, progress };
}
