export interface Ticket {
  readonly subject: string;
  readonly text: string;
}

export const chargedTwice: Ticket = {
  subject: "Charged twice",
  text: "My card was charged twice for invoice 2291. Could you refund one of them? Regards, Maria",
};

export const lateParcel: Ticket = {
  subject: "Where is my parcel?",
  text: "I ordered a desk lamp two weeks ago and it has not arrived. Thanks, Jonas",
};

export const lockedOut: Ticket = {
  subject: "Cannot log in",
  text: "The password reset mail never comes. This is Aiko, I have to reach my account today.",
};
