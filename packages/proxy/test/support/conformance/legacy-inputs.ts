import type { Call, Tool } from './features.ts';
import { INPUT_PROMPT, INPUT_TOOLS, type InputTool, MODERN_TOOLS, type Wanted } from './modern-features.ts';
import type { LegacyFeatures } from './legacy-server.ts';

/**
 * Modern features of the suite on a Legacy server, which sends requests to its client instead of returning
 * input requests.
 */
export const MODERN_FEATURES: LegacyFeatures = {
  tools: {
    ...MODERN_TOOLS,
    ...Object.fromEntries(Object.entries(INPUT_TOOLS).map(([name, tool]) => [name, toTool(tool)])),
  },
  askingPrompt: INPUT_PROMPT,
};

function toTool({ description, rounds, asksDeclared = false }: InputTool): Tool {
  return {
    description,
    run: async (call) => {
      const answers: object[] = [];
      for (const round of rounds) {
        const expected = Object.values(round).filter(
          (one) => !asksDeclared || call.declares(capabilityOf(one)),
        );
        answers.push(...(await Promise.all(expected.map((one) => ask(call, one)))));
      }
      return [{ type: 'text', text: `state-ok: ${JSON.stringify(answers)}` }];
    },
  };
}

function capabilityOf(expected: Wanted): 'roots' | 'sampling' | 'elicitation' {
  if (expected === 'roots') return 'roots';
  return 'sample' in expected ? 'sampling' : 'elicitation';
}

function ask(call: Call, expected: Wanted): Promise<object> {
  if (expected === 'roots') return call.ask('roots/list', {});
  if ('sample' in expected) {
    const message = { role: 'user', content: { type: 'text', text: expected.sample } };
    return call.ask('sampling/createMessage', { messages: [message], maxTokens: 100 });
  }
  const { form, message, type = 'string' } = expected;
  const requestedSchema = { type: 'object', properties: { [form]: { type } }, required: [form] };
  return call.ask('elicitation/create', { message, requestedSchema });
}
