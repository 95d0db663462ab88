; A household of our own, in the form of ALFWorld's problems.
(define (problem kitchen_potato)
(:domain alfred)
(:objects
  agent1 - agent
  Potato_bar_1 Bread_bar_1 Egg_bar_1 - object
  Fridge_bar_1 Microwave_bar_1 CounterTop_bar_1 CounterTop_bar_2 SinkBasin_bar_1 StoveBurner_bar_1 Cabinet_bar_1 Cabinet_bar_2 Cabinet_bar_3 Drawer_bar_1 Drawer_bar_2 DiningTable_bar_1 GarbageCan_bar_1 - receptacle
  loc_bar_0 loc_bar_1 loc_bar_2 loc_bar_3 loc_bar_4 loc_bar_5 loc_bar_6 loc_bar_7 loc_bar_8 loc_bar_9 loc_bar_10 loc_bar_11 loc_bar_12 loc_bar_13 - location
  BreadType EggType PotatoType - otype
  CabinetType CounterTopType DiningTableType DrawerType FridgeType GarbageCanType MicrowaveType SinkBasinType StoveBurnerType - rtype
)
(:init
  (= (total-cost) 0)
  (atLocation agent1 loc_bar_0)
  (receptacleType Fridge_bar_1 FridgeType) (receptacleAtLocation Fridge_bar_1 loc_bar_1) (openable Fridge_bar_1)
  (receptacleType Microwave_bar_1 MicrowaveType) (receptacleAtLocation Microwave_bar_1 loc_bar_2) (openable Microwave_bar_1)
  (receptacleType CounterTop_bar_1 CounterTopType) (receptacleAtLocation CounterTop_bar_1 loc_bar_3)
  (receptacleType CounterTop_bar_2 CounterTopType) (receptacleAtLocation CounterTop_bar_2 loc_bar_4)
  (receptacleType SinkBasin_bar_1 SinkBasinType) (receptacleAtLocation SinkBasin_bar_1 loc_bar_5)
  (receptacleType StoveBurner_bar_1 StoveBurnerType) (receptacleAtLocation StoveBurner_bar_1 loc_bar_6)
  (receptacleType Cabinet_bar_1 CabinetType) (receptacleAtLocation Cabinet_bar_1 loc_bar_7) (openable Cabinet_bar_1)
  (receptacleType Cabinet_bar_2 CabinetType) (receptacleAtLocation Cabinet_bar_2 loc_bar_8) (openable Cabinet_bar_2)
  (receptacleType Cabinet_bar_3 CabinetType) (receptacleAtLocation Cabinet_bar_3 loc_bar_9) (openable Cabinet_bar_3)
  (receptacleType Drawer_bar_1 DrawerType) (receptacleAtLocation Drawer_bar_1 loc_bar_10) (openable Drawer_bar_1)
  (receptacleType Drawer_bar_2 DrawerType) (receptacleAtLocation Drawer_bar_2 loc_bar_11) (openable Drawer_bar_2)
  (receptacleType DiningTable_bar_1 DiningTableType) (receptacleAtLocation DiningTable_bar_1 loc_bar_12)
  (receptacleType GarbageCan_bar_1 GarbageCanType) (receptacleAtLocation GarbageCan_bar_1 loc_bar_13)
  (objectType Potato_bar_1 PotatoType) (pickupable Potato_bar_1) (cleanable Potato_bar_1) (coolable Potato_bar_1) (heatable Potato_bar_1) (inReceptacle Potato_bar_1 Drawer_bar_2) (objectAtLocation Potato_bar_1 loc_bar_11)
  (objectType Bread_bar_1 BreadType) (pickupable Bread_bar_1) (coolable Bread_bar_1) (heatable Bread_bar_1) (inReceptacle Bread_bar_1 DiningTable_bar_1) (objectAtLocation Bread_bar_1 loc_bar_12)
  (objectType Egg_bar_1 EggType) (pickupable Egg_bar_1) (cleanable Egg_bar_1) (coolable Egg_bar_1) (heatable Egg_bar_1) (inReceptacle Egg_bar_1 Fridge_bar_1) (objectAtLocation Egg_bar_1 loc_bar_1)
  (canContain CabinetType BreadType) (canContain CabinetType EggType) (canContain CabinetType PotatoType)
  (canContain CounterTopType BreadType) (canContain CounterTopType EggType) (canContain CounterTopType PotatoType)
  (canContain DiningTableType BreadType) (canContain DiningTableType EggType) (canContain DiningTableType PotatoType)
  (canContain DrawerType BreadType) (canContain DrawerType EggType) (canContain DrawerType PotatoType)
  (canContain FridgeType BreadType) (canContain FridgeType EggType) (canContain FridgeType PotatoType)
  (canContain GarbageCanType BreadType) (canContain GarbageCanType EggType) (canContain GarbageCanType PotatoType)
  (canContain MicrowaveType BreadType) (canContain MicrowaveType EggType) (canContain MicrowaveType PotatoType)
  (canContain SinkBasinType BreadType) (canContain SinkBasinType EggType) (canContain SinkBasinType PotatoType)
  (canContain StoveBurnerType BreadType) (canContain StoveBurnerType EggType) (canContain StoveBurnerType PotatoType)
)
(:goal (and
  (exists (?r - receptacle)
    (exists (?o - object)
      (and (objectType ?o PotatoType) (receptacleType ?r DiningTableType) (heatable ?o) (isHot ?o)
           (inReceptacle ?o ?r))))
))
)
