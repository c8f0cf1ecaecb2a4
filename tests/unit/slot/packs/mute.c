/* A shared object that is no pack. */
int not_a_pack(void);
int not_a_pack(void) { return 1; }
