import ClientList from './list.ts';

export default class ClientStatus extends ClientList {
  static override summary = 'The same as client list';
}
