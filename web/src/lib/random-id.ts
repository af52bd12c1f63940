/** 128 random bits as text. Unlike `randomUUID` it is there on plain HTTP too. */
export const randomId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
