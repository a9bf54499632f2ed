import { expect } from 'chai';
import { type ManCommand, manPage } from '../../../scripts/man-pages.ts';

const COMMAND: ManCommand = {
  id: 'config:check',
  summary: 'Check it - whole',
  description: "first\n.second line\n'third \\ one",
  usage: 'config check FILE [FLAGS]',
  args: [{ name: 'FILE', description: '' }],
  flags: [
    { name: 'config', char: 'c', value: 'FILE', description: 'the file' },
    { name: 'all', char: undefined, value: undefined, description: 'everything' },
  ],
  environment: [['PORTOLAN_CONFIG', 'the file']],
  statuses: '3: something was found.',
  examples: [{ description: 'one', command: '<%= config.bin %> config check --all' }],
};

describe('manPage', () => {
  const lines = manPage(COMMAND, '1.2.3').split('\n');

  it('names the command as `man` finds it', () => {
    expect(lines[0]).to.equal('.TH "PORTOLAN-CONFIG-CHECK" "1" "" "Portolan 1.2.3" "Portolan"');
    expect(lines.slice(1, 3)).to.deep.equal(['.SH NAME', 'portolan\\-config\\-check \\- Check it \\- whole']);
  });

  it('says what the help says', () => {
    expect(lines).to.include('.B portolan config check FILE [FLAGS]');
    expect(lines).to.include('\\fB\\-c\\fR, \\fB\\-\\-config\\fR \\fIFILE\\fR');
    expect(lines).to.include('\\fB\\-\\-all\\fR');
    expect(lines).to.include('\\fBPORTOLAN_CONFIG\\fR');
    expect(lines).to.include('3: something was found.');
    expect(lines).to.include('    portolan config check \\-\\-all');
  });

  it('takes no text for a request of roff', () => {
    expect(lines).to.include('\\&.second line').and.to.include("\\&'third \\e one");
  });

  it('leaves out sections with nothing in them', () => {
    expect(manPage({ ...COMMAND, environment: [], examples: [] }, '1')).not.to.match(/ENVIRONMENT|EXAMPLES/);
  });
});
