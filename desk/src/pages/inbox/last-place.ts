/** Where one was in the inbox, to go on there after a look at a lead. */
export const lastPlace: { picked: string | undefined; address: string } = {
  picked: undefined,
  address: '/',
};
