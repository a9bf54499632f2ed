import { expect } from 'chai';
import { readRefreshPace } from '../src/refresh-pace.ts';

describe('environment variables of token renewal', () => {
  const rows: readonly (readonly [name: string, text: string, pace: object])[] = [
    ['PORTOLAN_TOKEN_REFRESH_INITIAL_RETRY_INTERVAL', '2s', { firstRetryMs: 2000 }],
    ['PORTOLAN_TOKEN_REFRESH_MAX_RETRY_INTERVAL', '1m30s', { longestRetryMs: 90_000 }],
    ['PORTOLAN_TOKEN_REFRESH_MAX_TRIES', '3', { quickTries: 3 }],
    ['PORTOLAN_TOKEN_REFRESH_MAX_ELAPSED_TIME', '10m', { quickMs: 600_000 }],
    ['PORTOLAN_TOKEN_AUTH_RETRYING_TICK_INTERVAL', '1h', { slowRetryMs: 3_600_000 }],
    ['PORTOLAN_TOKEN_AUTH_RETRYING_MAX_ELAPSED', '48h', { giveUpMs: 172_800_000 }],
  ];
  for (const [name, text, pace] of rows) {
    it(`${name} is also accepted with ToolHive's prefix`, () => {
      expect(readRefreshPace({ [name]: text })).to.deep.equal(pace);
      const other = name.replace('PORTOLAN', 'TOOLHIVE');
      expect(readRefreshPace({ [other]: text })).to.deep.equal(pace);
      expect(readRefreshPace({ [name]: text, [other]: '7' })).to.deep.equal(pace);
      expect(readRefreshPace({ [name]: '' })).to.deep.equal({});
    });
    for (const bad of ['0', '-1s', 'soon', '1.5', `1${'0'.repeat(400)}s x`]) {
      it(`${name}=${bad.slice(0, 9)} is refused, and the error names it`, () => {
        expect(() => readRefreshPace({ [name]: bad }))
          .to.throw(name)
          .with.property('code', 'ERR_SETTING');
      });
    }
  }
});
