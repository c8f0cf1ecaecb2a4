/* A shared object that is no pack. */
int not_a_pack();
int not_a_pack() {
  return 1;
}
