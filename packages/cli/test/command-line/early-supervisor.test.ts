import { expect } from 'chai';
import { needsSupervisor } from '../../src/command-line/early-supervisor.ts';

describe('needsSupervisor', () => {
  const needed = [
    ['run', 'ghcr.io/acme/weather:1'],
    ['run', 'npx://acme-notes', '--name', 'notes', '--', '--help'],
    ['run', '--from-config', 'weather.json', '--debug'],
    ['run', 'weather', '--configure', 'x'], // no flag; refused later
    ['run', 'weather', '--', '--foreground', '-h', 'https://acme.example'],
  ];
  for (const words of needed) {
    it(`says yes of ${words.join(' ')}`, () => {
      expect(needsSupervisor(words)).to.equal(true);
    });
  }

  const spared = [
    [],
    ['run'],
    ['run', '--help'],
    ['run', 'weather', '-h'],
    ['run', 'weather', '--help=true'],
    ['run', 'weather', '--dry-run'],
    ['run', 'weather', '--foreground'],
    ['run', 'weather', '--foreground=true'],
    ['run', 'weather', '-f'],
    ['run', '-fh', 'weather'],
    ['run', 'weather', '-f=true'],
    ['run', 'https://mcp.acme.example/mcp'],
    ['run', 'HTTP://127.0.0.1:8000/mcp'],
    ['run', 'weather', '--config', 'own.yaml'],
    ['run', 'weather', '--config=own.yaml'],
    ['run', 'weather', '--gateway-image', 'acme'],
    ['plan', 'weather'],
    ['start', 'weather'],
    ['list', 'run'],
  ];
  for (const words of spared) {
    it(`says no of ${words.join(' ') || 'nothing'}`, () => {
      expect(needsSupervisor(words)).to.equal(false);
    });
  }
});
