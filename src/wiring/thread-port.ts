import type { ChannelPort } from '../base/rpc-channel.ts';

/** Adapts a MessagePort for RPC channels. */
export function portOf(port: MessagePort): ChannelPort {
  return {
    postMessage: (message) => port.postMessage(message),
    on(_event, listener) {
      port.addEventListener('message', (event) => listener(event.data));
      port.start();
    },
    close: () => port.close(),
  };
}
